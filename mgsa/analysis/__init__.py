"""What a trained model does, as numbers to look at, in reading order:

quadrants        how much attention goes from words and phrases to words and phrases
heat_maps        the attention of one sentence pair, with what stands on its axes
alignment_error  alignment error rate, precision and recall against gold links
"""
