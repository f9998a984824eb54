"""Stage `params`: what `params.yaml` is, and whether it can be run.

presets    what the groups of `conf/` compose to, and which composition a file is
sections   the dataclass of each section, and sections that contradict each other
machine    files, programs and devices that a run needs
__main__   the command: check, write, change
"""
