"""Text in, arrays out: the stages from a parallel corpus to a dataset, and the text side of models.

`pipeline` imports `mgsa`, never the reverse. A stage is run as `python -m pipeline.<stage>`. In
reading order, each stage after the parts that only it is made of:

stage                what every stage shares: its arguments, its section of the parameter file
text                 parallel text on disk, and what is wrong with it
workers              one function over a stream, on several processes, in order
sample/              the built-in corpus: a synchronous grammar of English and German
corpus_kinds         kinds of corpora and their settings
download             files from the web: resumed, bounded, checked by SHA-256
corpus               STAGE: raw parallel text
moses                normalise, tokenise, detokenise
links                word alignments in Pharaoh's format
seen_pairs           which pairs came before
tokenize             STAGE: tokenised, cleaned text
trees                bracketed trees: read, written, checked
treebank             a treebank as a parser learns it
bracketing           precision, recall and F1 of brackets
word_vectors         vectors from the company of words
saved_models         the files that training leaves: whole, alike, named
stanza_options       settings of stanza's trainings
stanza_tagger        a tagger, by stanza's training code
stanza_constituency  a parser, by stanza's training code
stanza_training      vectors, tagger and parser of a treebank, one after the other
stanza_package       a package of stanza's, found or downloaded
parser_folder        what a parser is, and that it is still the same
stanza_parser        a loaded parser
parser               STAGE: a constituency parser, trained or fetched
parse_memory         parsed sentences, remembered between runs
parse                STAGE: a tree for each sentence
merges               learn BPE merges
subwords             split words into subwords
bpe                  STAGE: joint codes and segmented text
phrase_counts        statistics of a partition
partition            STAGE: phrases and tags of each level
symmetrize           one alignment from two directions
aligner_kinds        kinds of aligners and their settings
tokenized_pairs      sentence pairs as the aligners read them
bitext               sentences as numbers
word_pairs           all word pairs of sentence pairs, laid out in blocks
lexical_table        translation probabilities, estimated from counts
ibm1                 IBM model 1
hmm                  the hidden Markov model of alignments
hmm_aligner          links by these two, in both directions
eflomal_command      links by eflomal
link_files           links by any tool, from its files
alignment_error      COMMAND: error rate of links against gold links
align                STAGE: word links of each pair
stage_outputs        what the text stages wrote, row by row
columns              the columns of a dataset
parquet_file         a Parquet file, written row group by row group
phrase_columns       the phrases of a row, in subwords
link_columns         the links of a row, in subwords
manifest             what made a dataset
dataset              STAGE: the dataset artifact
main_clause          the verbs of a sentence's main clause
voice_and_tense      what they tell, by patterns
probing_labels       labels of a sentence's tree, to be told from its encoding
probe_sentences      sentences drawn into splits that share none
probing_rows         sentences with their labels as rows
probe_data           STAGE: what probes learn from and are tested on
reversed_columns     rows with their sides swapped
reverse              a dataset the other way round
train                STAGE: a model and its curves
preprocessor         raw text as rows, by what the stages use
translate            STAGE: translations; raw text in, translations out
forced_align         word alignments of given text, as a model sees them
evaluate             STAGE: scores with confidence intervals
experiment/          COMMAND: tables of systems, each trained from several seeds
analysis_settings    settings of the stages that look at a model
source_phrases       which source phrase an n-gram of a reference is aligned to
aligned_split        a split with its tokens, trees and links
category_counts      n-grams by syntactic category, counted
figures              drawings; matplotlib is imported here and in …_figures only
pattern_tables       scores of n-grams as rows
drawn_patterns       which of them are drawn
pattern_figures      and as curves
phrasal_patterns     STAGE: which n-grams are right
analyze              STAGE: what a model attends to: shares, heat maps
probe_tables         accuracies of probes as rows
probe_figures        and as bars, and curves over layers
probed_encoders      all encoders of the table, probed one after the other
probe                STAGE: what encoders know of syntax
report_page/         the sections of a report, their drawings and templates
report               STAGE: one HTML page about a run or a comparison
parameters           what every section of params.yaml must be
composition          STAGE, the first to run: params.yaml checked; which composition of conf/ it is
"""
