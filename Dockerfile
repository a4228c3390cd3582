# One image for every process; docker-compose.yml says which command each runs.
FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json ./
# The embedded Postgres is for all in one on a laptop; no process in here uses it.
RUN npm ci --omit=dev --omit=optional
COPY src ./src
COPY workers ./workers
USER node
CMD ["node", "--max-semi-space-size=2", "src/api-server.ts"]
