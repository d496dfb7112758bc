"""Run and compare both versions: functions, programs, whole trees; reports."""
