"""The built-in sample corpus: a synchronous grammar of English and German, in reading order:

derivation      one derivation in two languages, and how it becomes a sentence pair
lexicon         the words, from the tables beside it
german          German inflection
english         English auxiliaries and articles
chooser         seeded choices, by Zipf's law
function_words  numerals, determiners, pronouns
verb_groups     verbs with their auxiliaries
noun_phrases    noun and prepositional phrases
predicates      objects and adverbs beside the verb
word_order      a clause in English and in each German order
clauses         kinds of clauses
sentences       kinds of sentences
corpus_files    splits and treebank on disk
"""

from pipeline.sample.corpus_files import generate, write_sample
from pipeline.sample.derivation import SamplePair

__all__ = ["SamplePair", "generate", "write_sample"]
