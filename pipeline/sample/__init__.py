"""The built-in sample corpus: a synchronous grammar of English and German, in reading order:

derivation    one derivation in two languages, and how it becomes a sentence pair
lexicon       the words, from the tables beside it
chooser       seeded choices, by Zipf's law
german        German inflection
noun_phrases  noun and prepositional phrases
verb_groups   verbs with their auxiliaries
word_order    a clause in English and in each German order
predicates    objects and adverbs beside the verb
clauses       kinds of clauses
sentences     kinds of sentences
corpus_files  splits and treebank on disk
"""

from pipeline.sample.corpus_files import generate, write_sample
from pipeline.sample.derivation import SamplePair

__all__ = ["SamplePair", "generate", "write_sample"]
