"""Every attention builds queries, keys and values in front of the one `attend`, in reading order:

attend             scaled dot product, optional weights: the only one
heads              vectors cut into heads, and what an attention gives its layer
memory             keys and values, and what is kept from one decoding step to the next
word               queries, keys and values from words
multi_granularity  head groups over words and over phrases of each granularity
ngrams             windows of positions, and which are whole
conv_kv            n-grams by convolutions of keys and values
query_k            n-grams by queries that are convolved with the keys
phrase_heads       homogeneous, heterogeneous and interleaved heads over n-grams
phrase             self-attention and cross-attention of such heads

| variant                | queries                       | keys                  | values        |
| ---------------------- | ----------------------------- | --------------------- | ------------- |
| word                   | X Wq                          | Y Wk                  | Y Wv          |
| MG-SA, granularity g   | X Wq                          | H_g Wk                | H_g Wv        |
| ConvKV, n              | X Wq                          | Conv_n(Y, Wk)         | Conv_n(Y, Wv) |
| QueryK, n              | [X Wq,0 ; … ; X Wq,n−1]       | windows of Y Wk       | Conv_n(Y, Wv) |
| heterogeneous          | as above                      | of all n, one softmax | likewise      |
| interleaved            | of one word and of two        | as heterogeneous      | likewise      |
"""
