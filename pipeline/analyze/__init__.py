"""Stage `analyze`: what a model attends to.

settings   the split, and the sentences to draw
quadrants  attention from words and phrases to words and phrases
heat_maps  the attention of one sentence pair, with the labels of its axes
figures    heat maps as charts
__main__   STAGE: shares of attention and heat maps
"""
