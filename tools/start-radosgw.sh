#!/bin/bash
# Starts an S3 store on loopback: Ceph's object gateway over one monitor and one OSD in memory. The
# pids of its processes are in FOLDER/run/*.pid. Callers may kill them, because they hold only test data.
# Debian: radosgw ceph-mon ceph-osd ceph-common.
# usage: start-radosgw.sh FOLDER S3_PORT MONITOR_PORT ACCESS_KEY SECRET_KEY
set -euo pipefail
folder=$1 port=$2 monitor=127.0.0.1:$3 access_key=$4 secret_key=$5
mkdir -p "$folder"/{mon,osd0,run,log}
export CEPH_CONF=$folder/ceph.conf
cat > "$CEPH_CONF" <<CONF
[global]
fsid = $(cat /proc/sys/kernel/random/uuid)
mon host = [v1:$monitor]
mon initial members = a
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv4 = true
auth cluster required = none
auth service required = none
auth client required = none
auth allow insecure global id reclaim = false
keyring = $folder/keyring
run dir = $folder/run
admin socket = $folder/run/\$name.asok
pid file = $folder/run/\$name.pid
log file = $folder/log/\$name.log
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
paxos propose interval = 0.02
paxos min wait = 0.01
mon tick interval = 1
mon max pg per osd = 5000
[mon.a]
host = localhost
mon addr = $monitor
mon data = $folder/mon
mon data avail crit = 1
mon data avail warn = 2
[osd]
osd data = $folder/osd0
osd objectstore = memstore
memstore device bytes = 1073741824
osd memory target = 939524096
osd fast shutdown = true
[client.rgw]
# Without tcp_nodelay an answer of header and body takes 40 ms: Nagle meets delayed acknowledgements.
rgw frontends = beast endpoint=127.0.0.1:$port tcp_nodelay=1
rgw thread pool size = 64
rgw override bucket index max shards = 1
CONF
fsid=$(sed -n 's/^fsid = //p' "$CEPH_CONF")
# The daemons keep inherited file descriptors open, so they must not get the caller's.
exec < /dev/null > "$folder/log/start" 2>&1
ceph-authtool --create-keyring "$folder/keyring" --gen-key -n mon. --cap mon 'allow *'
ceph-authtool "$folder/keyring" --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *'
monmaptool --create --clobber --addv a "[v1:$monitor]" --fsid "$fsid" "$folder/monmap"
ceph-mon -i a --mkfs --monmap "$folder/monmap" --keyring "$folder/keyring"
ceph-mon -i a
ceph-osd -i 0 --mkfs --osd-uuid "$(cat /proc/sys/kernel/random/uuid)"
# A monitor refuses with EPERM right after its start.
for _ in $(seq 20); do ceph osd new "$(cat "$folder/osd0/fsid")" && break; sleep 0.2; done
# The monitor refuses a new OSD until it knows about it.
for _ in $(seq 20); do ceph-osd -i 0 && break; sleep 0.2; done
for _ in $(seq 100); do ceph osd stat | grep -q '1 up' && break; sleep 0.1; done
radosgw-admin user create --uid=test --display-name=test --access-key="$access_key" --secret-key="$secret_key"
radosgw -n client.rgw
for _ in $(seq 200); do curl -s -o /dev/null "http://127.0.0.1:$port/" && break; sleep 0.1; done
