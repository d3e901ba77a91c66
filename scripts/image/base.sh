#!/usr/bin/env bash
# Makes a base for the image where no registry of images can be reached: `scripts/image/base.sh <name> <version of Node>`, as
# root on Debian, with buildah. It has the essential packages of this machine, the Node of that version from npm, and the npm
# and the certificates of this machine.
set -euo pipefail

readonly NAME=$1 VERSION=$2
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
ROOT=$WORK/root

# Those that every Debian has, and what they depend on.
packages() {
  dpkg-query -W -f '${Essential} ${Package}\n' | awk '$1 == "yes" { print $2 }' |
    xargs apt-cache depends --recurse --installed --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
      --no-enhances libstdc++6 libatomic1 | grep '^[a-z0-9]' | sort -u
}

# Their files relative to /, without documentation. /bin and its like are links to folders in /usr.
files() {
  local path
  { packages | xargs dpkg-query -L 2>/dev/null || true; } |
    sed -E 's#^/(bin|sbin|lib|lib64)/#/usr/\1/#; \#^/usr/share/(doc|man|locale|info)/#d' | sort -u |
    while read -r path; do
      if [[ -L $path || -f $path ]]; then echo "${path#/}"; fi
    done
}

mkdir -p "$ROOT"/{dev,proc,sys,tmp,root,run,home/node,var/lib,etc/ssl/certs,usr/{bin,sbin,lib,lib64},usr/local/{bin,lib/node_modules}}
chmod 1777 "$ROOT/tmp"
files | tar --create --no-recursion --directory=/ --files-from=- | tar --extract --directory="$ROOT"
for folder in bin sbin lib lib64; do ln -sfn "usr/$folder" "$ROOT/$folder"; done
cp -L /etc/ssl/certs/ca-certificates.crt "$ROOT/etc/ssl/certs/" 2>/dev/null || true
printf 'root:x:0:0::/root:/bin/bash\nnode:x:1000:1000::/home/node:/bin/bash\n' >"$ROOT/etc/passwd"
printf 'root:x:0:\nnode:x:1000:\n' >"$ROOT/etc/group"
chown 1000:1000 "$ROOT/home/node"
chroot "$ROOT" /sbin/ldconfig

arch=$(node -p process.arch)
(cd "$WORK" && echo '{}' >package.json && npm install --no-audit --no-fund "node-linux-$arch@$VERSION" >/dev/null)
cp "$WORK/node_modules/node-linux-$arch/bin/node" "$ROOT/usr/local/bin/node"
cp -rL "$(npm root --global)/npm" "$ROOT/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$ROOT/usr/local/bin/npm"

container=$(buildah from scratch)
buildah add -q "$container" "$ROOT" / >/dev/null
buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt --cmd node "$container"
buildah commit -q --format docker "$container" "$NAME" >/dev/null
buildah rm "$container" >/dev/null
