# One image for every process. docker-compose.yml has the command of each.

# The Node that the tests run on. Pin it by its digest: --build-arg NODE_IMAGE=node:24.21.0-slim@sha256:…, as
# `docker buildx imagetools inspect node:24.21.0-slim` shows it.
ARG NODE_IMAGE=node:24.21.0-slim

# The pages of the dashboard need Vite, which the image of the processes does not have. They are the same for every platform.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS pages
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
# npm's cache stays out of the layers.
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --workspaces=false
COPY src ./src
COPY pages ./pages
RUN npm run build:dashboard

FROM ${NODE_IMAGE}
# With more arenas of malloc than two, buffers that move from thread to thread leave up to 35 MB of holes.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2
WORKDIR /app
COPY package.json package-lock.json ./
# Without the embedded Postgres, which only an all in one uses, and without the client of customers. One of the three copies of the
# reader of Parquet is enough.
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --omit=optional --workspaces=false && \
  rm -r node_modules/parquet-wasm/bundler node_modules/parquet-wasm/node
# What is in the image, as CycloneDX. npm counts only what is installed if package.json asks for nothing else.
RUN cp package.json whole.json && npm pkg delete devDependencies optionalDependencies workspaces && \
  npm sbom --sbom-format=cyclonedx > sbom.json && mv whole.json package.json
COPY src ./src
COPY workers ./workers
COPY --from=pages /app/pages/dist ./pages/dist
# Where the image is from (docs/operating.md). A file cannot know it, so without arguments of the build these labels are empty.
ARG SOURCE=
ARG REVISION=
ARG CREATED=
LABEL org.opencontainers.image.title="Waypost" \
  org.opencontainers.image.description="Hosts XML sitemaps on hostnames that its customers own" \
  org.opencontainers.image.source="$SOURCE" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.created="$CREATED" \
  org.opencontainers.image.version="0.1.0"
# By number: Kubernetes cannot tell whether a name is root.
USER 1000:1000
# Of the API. Another process needs its own (docker-compose.yml).
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.API_PORT || 3000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=2", "--heap-growing-percent=50", "src/api-server.ts"]
