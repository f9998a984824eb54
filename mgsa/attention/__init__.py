"""Every attention builds queries, keys and values in front of the one `attend`, in reading order:

attend             scaled dot product, optional weights
heads              vectors cut into heads; the output of an attention
memory             keys and values of the source, and the cache of decoding
word               queries, keys and values from words
multi_granularity  head groups over words and over phrases of each granularity
ngrams             windows of positions, and which are whole
conv_kv            n-grams by convolutions of keys and values
query_k            n-grams by queries that are convolved with the keys
phrase_heads       homogeneous, heterogeneous and interleaved heads over n-grams
phrase             self-attention and cross-attention of such heads
key_value          attention of a recurrent decoder's state to the source

| variant              | queries                     | keys                  | values            |
| -------------------- | --------------------------- | --------------------- | ----------------- |
| word                 | X Wq                        | Y Wk                  | Y Wv              |
| MG-SA, granularity g | X Wq                        | H_g Wk                | H_g Wv            |
| ConvKV, n            | X Wq                        | Conv_n(Y, Wk)         | Conv_n(Y, Wv)     |
| QueryK, n            | [X Wq,0 ; … ; X Wq,n−1]     | windows of Y Wk       | Conv_n(Y, Wv)     |
| heterogeneous        | as above                    | of all n, one softmax | likewise          |
| interleaved          | of one word and of two      | as heterogeneous      | likewise          |
| attn                 | d_{j−1}                     | h_i                   | h_i               |
| key-value            | first half of d_{j−1}       | W_f [k→_i ; k←_i]     | W_g [v→_i ; v←_i] |
| modifying-IW         | first half of d_{j−1}       | key half of h_i       | h_i               |
"""
