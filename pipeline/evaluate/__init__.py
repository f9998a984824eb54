"""Stage `evaluate`: scores of translations, with confidence intervals.

command_metrics  metrics by commands, with intervals and tests
settings         metrics, resamples, trials
scores           sacreBLEU's metrics, intervals and paired tests
__main__         STAGE: the command
"""
