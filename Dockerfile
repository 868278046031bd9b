# The same code as `npm run api` and `npm run worker`: nothing is built, and nothing of the
# development parts (PostgreSQL, chain, tests) is in it. One image, three commands.
FROM node:24-bookworm-slim AS packages
WORKDIR /service
COPY package.json package-lock.json require-node.mjs ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 METRICS_HOST=0.0.0.0 METRICS_PORT=9464
WORKDIR /service
COPY --from=packages /service/node_modules node_modules
COPY package.json require-node.mjs ./
COPY migrations migrations
COPY src src
# What Node compiles once is kept: made here, because the service itself may write nowhere.
RUN node --import ./require-node.mjs -e "await import('./src/main.ts'); await import('./src/worker.ts')"
USER node
EXPOSE 4000 9464
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD \
  ["node", "-e", "fetch('http://127.0.0.1:4000/health/ready').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--import", "./require-node.mjs", "src/main.ts"]
