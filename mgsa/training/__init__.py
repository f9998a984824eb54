"""Training, in reading order:

trainer     the loop, on one page; the learning rate of an update
loss        translation NLL + λ · tag NLL + λ_a · alignment NLL
gradients   an update's gradients, over micro-batches and processes
validation  loss and BLEU on the validation split
loggers     curves to TensorBoard, Weights & Biases
progress    progress bar and log lines
checkpoint  weights, Adam's moments and state as atomic folders; their mean; the identity of a run
initial     the weights of a trained model, to go on from
processes   devices, signals, lost processes, seeds
run         a whole run: processes, resuming, the artifact
commands    `mgsa train`
"""
