"""Both versions run and compared: functions, programs, whole trees; reports."""
