"""Stage `evaluate`: scores of translations, with confidence intervals.

settings         metrics, resamples, trials; the form of commands
scores           sacreBLEU's metrics, intervals and paired tests
command_metrics  metrics by commands, with intervals and tests
means            means over test sets, and their test
__main__         STAGE: the command
"""
