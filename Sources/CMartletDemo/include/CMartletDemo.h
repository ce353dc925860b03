// This target has resources only.
