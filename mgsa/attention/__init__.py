"""Every attention builds queries, keys and values in front of the one `attend`, in reading order:

attend             scaled dot product, optional weights: the only one
heads              vectors cut into heads, and what an attention gives its layer
memory             keys and values kept from one decoding step to the next
word               queries, keys and values from words
multi_granularity  head groups over words and over phrases of each granularity

| variant                | queries | keys    | values  |
| ---------------------- | ------- | ------- | ------- |
| word                   | X Wq    | Y Wk    | Y Wv    |
| MG-SA, granularity g   | X Wq    | H_g Wk  | H_g Wv  |
"""
