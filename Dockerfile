# The demo on the embedded store, in a volume that survives the container:
#
#   docker build -t marquee .
#   docker run --rm --name marquee -p 127.0.0.1:3000:3000 -e NODE_ENV=development -v marquee:/var/lib/marquee marquee
#   docker exec marquee marquee request GET /12/accounts
#   docker exec marquee cat /var/lib/marquee/demo-credentials.json
#
# Without NODE_ENV it is in production mode, as compose.yaml and deploy/kubernetes run it.

# Another source of the same image: a registry of yours, or a digest.
ARG NODE_IMAGE=node:26.10.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src

# Packages first: this layer is kept until one of them changes. The lock file says which. `npm ci` would reject it: it has no
# entries for binaries of platforms on which it was not locked.
COPY package.json package-lock.json ./
RUN npm install --omit=dev --no-audit --no-fund

COPY .swcrc ormconfig.ts LICENSE llms.txt openapi.json ./
COPY assets assets
COPY scripts scripts
COPY bin bin
COPY src src
# The commit, which /version and marquee_build_info have: docker build --build-arg MARQUEE_COMMIT=$(git rev-parse HEAD)
ARG MARQUEE_COMMIT=
RUN node scripts/build-if-stale.mjs --force --without-bundle && node scripts/image/make-app.mjs /app


FROM ${NODE_IMAGE}
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/var/lib/marquee
WORKDIR /app

# No sources: without them beside it, `marquee` knows that there is nothing to compile.
COPY --from=build /app ./
RUN ln -s /app/bin/marquee.mjs /usr/local/bin/marquee \
 && install -d -o node -g node -m 0700 /var/lib/marquee

USER node
VOLUME /var/lib/marquee
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health/live').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=64", "bin/service.mjs"]
