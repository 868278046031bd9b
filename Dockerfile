# One image for every process. Those that run all the time are bundled, so that they start in half
# the time; commands run from the sources. The embedded PostgreSQL, the local chain and the tests are
# not in it. The target `proxy` is another image: the HAProxy of compose.yaml.
# Build it with `--build-arg SERVICE_VERSION=1.2.3`, which metrics and /health/live show.
# To update Node: `docker buildx imagetools inspect node:24-bookworm-slim` prints the new digest.
ARG NODE_IMAGE=node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d

FROM ${NODE_IMAGE} AS packages
WORKDIR /service
COPY package.json package-lock.json require-node.mjs ./
COPY packages packages
RUN npm ci --omit=dev --omit=optional --ignore-scripts

# With development and optional packages: the build tools come as optional packages per platform.
FROM ${NODE_IMAGE} AS pages
WORKDIR /build
COPY package.json package-lock.json require-node.mjs ./
COPY apps apps
COPY packages packages
COPY tools tools
RUN npm ci --ignore-scripts
COPY lingui.config.ts tsconfig.json ./
RUN node --import ./require-node.mjs tools/web/build.ts /pages

# In the folder where it will run, because bundles hold paths.
FROM ${NODE_IMAGE} AS programs
WORKDIR /service
COPY --from=pages /build/node_modules node_modules
COPY package.json package-lock.json require-node.mjs ./
COPY packages packages
COPY tools tools
COPY src src
RUN node --import ./require-node.mjs tools/service/build.ts

FROM ${NODE_IMAGE} AS proxy
RUN apt-get update \
  && apt-get install -y --no-install-recommends haproxy \
  && rm -rf /var/lib/apt/lists/*
COPY deploy/haproxy/haproxy.cfg /etc/haproxy/haproxy.cfg
USER node
EXPOSE 8443 8080
CMD ["haproxy", "-W", "-db", "-f", "/etc/haproxy/haproxy.cfg"]

FROM ${NODE_IMAGE} AS service
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 METRICS_HOST=0.0.0.0 METRICS_PORT=9464
WORKDIR /service
COPY --from=packages /service/node_modules node_modules
COPY package.json require-node.mjs ./
COPY migrations migrations
COPY packages packages
COPY src src
COPY --from=programs /service/dist dist

# Node keeps one compile cache per user, so the user that runs the service creates it.
FROM service AS compiled
RUN install -d -o node node_modules/.cache/compiled
USER node
RUN node --import ./require-node.mjs -e "for (const name of ['main', 'worker', 'web']) await import('./dist/src/' + name + '.mjs')"

# Root owns the cache and the pages: the service can read them but cannot change what the next start
# runs or serves.
FROM service
COPY --from=compiled /service/node_modules/.cache node_modules/.cache
COPY --from=pages /pages/consumer apps/consumer/dist
COPY --from=pages /pages/admin apps/admin/dist
# Here, and not earlier, so that a new version does not build the layers above anew.
ARG SERVICE_VERSION
ENV SERVICE_VERSION=${SERVICE_VERSION}
USER node
EXPOSE 4000 4100 4200 9464
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD \
  ["node", "-e", "fetch('http://127.0.0.1:4000/health/ready').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--import", "./require-node.mjs", "dist/src/main.mjs"]
