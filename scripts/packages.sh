# Sourced: what building and testing need from Debian, and installing what is missing.

build_packages="build-essential cmake ninja-build ccache mold pkg-config python3
 libboost1.81-dev libspdlog-dev libtomlplusplus-dev nlohmann-json3-dev libcli11-dev
 zlib1g-dev libzstd-dev liblz4-dev libsnappy-dev libre2-dev libgtest-dev"
test_packages="libssl-dev librdkafka-dev kcat python3-kafka python3-confluent-kafka
 python3-snappy python3-lz4 python3-zstandard python3-prometheus-client file systemd zsh"
fuzz_packages="clang-14 libclang-rt-14-dev"
arm64_packages="g++-aarch64-linux-gnu qemu-user-static kcat"
arm64_libraries="libboost1.81-dev libtomlplusplus-dev nlohmann-json3-dev
 zlib1g-dev libzstd-dev liblz4-dev libsnappy-dev"

# Clones in other folders share what ccache holds.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1

# install_missing PACKAGE...: installs those that are not there; says what to do when it cannot.
install_missing() {
    local missing
    missing=$(for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || echo "$package"
    done)
    [ -z "$missing" ] && return 0
    missing=$(echo $missing)
    if [ "$(id -u)" != 0 ]; then
        echo "These Debian packages are missing, and only root can install them. Run:" >&2
        echo "    sudo apt-get install -y $missing" >&2
        return 1
    fi
    echo "Installing: $missing"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing >/dev/null || {
        echo "apt-get could not install them. Check its sources and try: apt-get install $missing" >&2
        return 1
    }
}
