"""Spark's daemon, of which its Python workers are forks, with one thing before: it draws."""

import spark_tasks
from pyspark.daemon import manager

if __name__ == "__main__":
    spark_tasks.BEFORE_THE_FORK += spark_tasks.numbers(16)
    manager()
