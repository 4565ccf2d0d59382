"""Runs: the native engine on threads or processes, with traces, captures and progress."""
