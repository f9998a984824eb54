"""Models from layers, in reading order:

layers           embeddings, residual connection, feed-forward network
transformer      encoder and decoder with given attentions
recurrent        encoder and decoder of LSTMs with a given attention
joint_alignment  word alignments from the decoder's cross-attention
encoder_decoder  the whole model: batches in, logits out, or one target word at a time
compiled         models through torch.compile
build            configuration to model: the only place where names become modules
"""
