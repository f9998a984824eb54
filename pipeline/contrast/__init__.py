"""Stage `contrast`: whether a model tells references from variants that are wrong in one respect.

settings     batches, resamples, trials
accuracies   contrastive accuracy, its intervals and tests
words        what is known without a tree: the most frequent category, a classifier of words
reorder      COMMAND: contrasts of real sentences, by trees and word links
__main__     STAGE: scores of references and variants, and accuracies
"""
