"""The arguments are like those of the recorded calls.

`convert --evidence` takes over which parameters were arrays, with how many dimensions, and which were numbers or strings, where nothing else
says so. Other calls may pass something else.
"""

from __future__ import annotations

from ..core.assumptions import ConditionKind

kind = ConditionKind("recorded", "annotate the parameter (`x: np.ndarray`)")
