stands for a SavedModel: only names and sizes count
