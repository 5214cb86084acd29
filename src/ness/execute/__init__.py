"""Where jobs are done: in this process, in processes of this machine, or on a Ray cluster. Jobs in, results out."""
