# One image for every process. docker-compose.yml has the command of each.

# The pages of the dashboard need Vite, which the image of the processes does not have.
FROM node:24-slim AS pages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --workspaces=false
COPY src ./src
RUN npm run build:dashboard

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json ./
# Without the embedded Postgres, which only an all in one uses, and without the client of customers.
RUN npm ci --omit=dev --omit=optional --workspaces=false
COPY src ./src
COPY workers ./workers
COPY --from=pages /app/src/dashboard/web/dist ./src/dashboard/web/dist
USER node
CMD ["node", "--max-semi-space-size=2", "--heap-growing-percent=50", "src/api-server.ts"]
