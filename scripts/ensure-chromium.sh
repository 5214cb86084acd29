#!/bin/sh
# Installs Debian's Chromium for the viewer's tests where that is possible: with apt-get, as root.
# Otherwise it does nothing; the tests then skip and say so.
for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null 2>&1 && exit 0
done
[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 || exit 0
echo "installing Chromium for the viewer's tests" >&2
export DEBIAN_FRONTEND=noninteractive
{ apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core; } >/dev/null 2>&1 \
    || echo "Chromium could not be installed; the viewer's browser tests will skip" >&2
exit 0
