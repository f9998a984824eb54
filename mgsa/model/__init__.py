"""Models from layers, in reading order:

embedding        subword embeddings and sinusoidal positions
sublayers        residual connection with its norm, feed-forward network
transformer      encoder and decoder, attention given per layer
joint_alignment  word alignments out of the decoder's cross-attention
recurrent        encoder and decoder of LSTMs, attention given
sides            what an encoder-decoder asks of either
outputs          what a model gives for a batch
encoder_decoder  what training and search see of a model
build            configuration to model: the only place where names become modules
"""
