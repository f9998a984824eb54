"""Training, in reading order:

trainer          the loop, on one page
loss             translation NLL + λ · tag NLL, parts apart
gradients        an update's gradients, over micro-batches and processes
schedule         the learning rate of an update
optimizer        Adam, its state as named tensors
randomness       dropout that depends on the place in the run alone
validation       loss and BLEU on the validation split
state            where a run stands
checkpoint       folders that appear whole: weights, Adam's means, state
averaging        the mean of several checkpoints
curves           losses and scores, a line each
display          a bar on a terminal, lines in a log
interruption     SIGTERM and SIGINT save and leave
processes        how many there are, and what if one is lost
identity         which run a checkpoint is of
run              a whole run: processes, where to go on from, the artifact
command          `mgsa train`
average_command  `mgsa average`
"""
