"""How loops are written for JAX: functions of the loop-carried values, scans, `vmap`, code on whole arrays."""
