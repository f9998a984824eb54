# The project with its environment. On a CPU, or with CUDA:
#   docker build -t mgsa .
#   docker run --rm -it -v "$PWD/data:/mgsa/data" mgsa make repro
#   docker build -t mgsa --build-arg TORCH=cu130 .
#   docker run --rm -it --gpus all mgsa make gpu
FROM python:3.12-slim
ARG TORCH=cpu
ENV PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/${TORCH} PIP_NO_CACHE_DIR=1
RUN apt-get update \
    && apt-get install -y --no-install-recommends chromium git make \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /mgsa
COPY . .
RUN make .venv/installed && git config --system --add safe.directory '*'
ENV PATH=/mgsa/.venv/bin:$PATH
CMD ["bash"]
