#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Writes the input of the real programs of tests/bench/cases to the given directory: packets as
pcap files (PCAPS), and the contents of their maps as JSON files for --map (MAPS). Lengths and IP
checksums are filled in here; fields that the selftests leave 0 are 0 here, too."""

import ipaddress
import json
import struct
import sys

TCP, UDP, IPIP, IPV6, ICMPV6 = 6, 17, 4, 41, 58
SYN, ACK = 0x02, 0x10
ETHERTYPE = {"ip4": 0x0800, "ip6": 0x86DD, "vlan": 0x8100}


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total & 0xFFFF) + (total >> 16)
    return ~(total + (total >> 16)) & 0xFFFF


def eth(payload, ethertype, src="02:00:00:00:00:01", dst="02:00:00:00:00:02"):
    mac = [bytes.fromhex(address.replace(":", "")) for address in (dst, src)]
    return mac[0] + mac[1] + struct.pack("!H", ethertype) + payload


def vlan(payload, ethertype, tag):
    return struct.pack("!HH", tag, ethertype) + payload


def ip4(payload, protocol, src="0.0.0.0", dst="0.0.0.0", check=True):
    """Returns an IPv4 packet. Without check, its checksum is 0."""
    head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), 0, 0, 64, protocol, 0,
                       ipaddress.IPv4Address(src).packed, ipaddress.IPv4Address(dst).packed)
    if check:
        head = head[:10] + struct.pack("!H", checksum(head)) + head[12:]
    return head + payload


def ip6(payload, protocol, src="::", dst="::"):
    head = struct.pack("!IHBB16s16s", 6 << 28, len(payload), protocol, 64,
                       ipaddress.IPv6Address(src).packed, ipaddress.IPv6Address(dst).packed)
    return head + payload


def tcp(payload, src=0, dst=0, flags=0):
    return struct.pack("!HHIIBBHHH", src, dst, 0, 0, 5 << 4, flags, 0, 0, 0) + payload


def udp(payload, src=0, dst=0):
    return struct.pack("!HHHH", src, dst, 8 + len(payload), 0) + payload


def gue(payload, protocol, hops=()):
    """Returns a packet in Generic UDP Encapsulation, with the next hops in struct unigue of test_cls_redirect.h."""
    head = struct.pack("!BBHBBBB", 1 + len(hops), protocol, 0, 0, 0, 0, len(hops))
    return head + b"".join(ipaddress.IPv4Address(hop).packed for hop in hops) + payload


def encapsulated(inner, protocol, hops=()):
    """Returns a packet from another node for test_cls_redirect, whose globals have the destination's address."""
    return eth(ip4(udp(gue(inner, protocol, hops), dst=1234), UDP, dst="127.0.0.1", check=False),
               ETHERTYPE["ip4"])


def tcp4(src="10.0.0.1", dst="10.0.0.2", sport=4000, dport=80, flags=SYN):
    return ip4(tcp(b"", sport, dport, flags), TCP, src, dst)


def udp4(src="10.0.0.1", dst="10.0.0.2", sport=4000, dport=53):
    return ip4(udp(b"payload of a packet", sport, dport), UDP, src, dst)


def tcp6(src="fd00::1", dst="fd00::2", sport=4000, dport=80, flags=SYN):
    return ip6(tcp(b"", sport, dport, flags), TCP, src, dst)


def udp6(src="fd00::1", dst="fd00::2", sport=4000, dport=53):
    return ip6(udp(b"payload of a packet", sport, dport), UDP, src, dst)


def frame4(packet, **addresses):
    return eth(packet, ETHERTYPE["ip4"], **addresses)


def frame6(packet, **addresses):
    return eth(packet, ETHERTYPE["ip6"], **addresses)


# The packets of the selftests. All addresses are 0, as is the address of the service in the selftests' load balancers.
PKT_V4 = frame4(ip4(tcp(b""), TCP, check=False))
PKT_V6 = frame6(ip6(tcp(b""), TCP))

PCAPS = {
    "pkt_v4": [PKT_V4],
    "pkt_v6": [PKT_V6],
    "pkt": [PKT_V4, PKT_V6],
    # Packets that xdp-filter's maps list: hosts 10.0.0.1 and fd00::1, port 53, MAC 02:00:00:00:00:01.
    "listed": [frame4(udp4()), frame6(udp6()), frame4(tcp4(dport=53)), frame6(tcp6(dport=53))],
    "listed_ip": [frame4(udp4(dport=9)), frame6(udp6(dport=9))],
    "listed_udp": [frame4(udp4()), frame6(udp6())],
    "listed_tcp": [frame4(tcp4(dport=53)), frame6(tcp6(dport=53))],
    # Packets that xdp-filter's maps do not list.
    "unlisted": [frame4(udp4(src="10.0.9.9", dport=9), src="02:00:00:00:09:09"),
                 frame6(udp6(src="fd00::9", dport=9), src="02:00:00:00:09:09"),
                 frame4(tcp4(src="10.0.9.9"), src="02:00:00:00:09:09"),
                 frame6(tcp6(src="fd00::9"), src="02:00:00:00:09:09")],
    # No socket on this machine has these connections. test_cls_redirect accepts a SYN, and forwards a packet that has
    # a next hop.
    "cls_redirect": [encapsulated(tcp4("127.0.0.1", "127.0.0.1", flags=SYN), IPIP),
                     encapsulated(tcp6("::1", "::1", flags=SYN), IPV6),
                     encapsulated(tcp4("127.0.0.1", "127.0.0.1", flags=ACK), IPIP, ["127.0.0.2"]),
                     encapsulated(tcp6("::1", "::1", flags=ACK), IPV6, ["127.0.0.2"]),
                     encapsulated(udp4("127.0.0.1", "127.0.0.1"), IPIP, ["127.0.0.2"]),
                     encapsulated(udp6("::1", "::1"), IPV6)],
    "vlan_4011": [eth(vlan(tcp4(), ETHERTYPE["ip4"], 4011), ETHERTYPE["vlan"])],
    "wall": [frame6(tcp6(flags=ACK))],
    "tunnel": [frame4(tcp4(dport=8000))],
    "tunnel6": [frame6(tcp6(dport=8000))],
}


def net(value, size):
    """Returns the number that a little-endian program has in a map if the value is stored in network order."""
    return int.from_bytes(value.to_bytes(size, "big"), "little")


def entries(*pairs):
    return [{"key": key, "value": value} for key, value in pairs]


# xdp-filter's flags: filter by the source and by the destination, for TCP and for UDP.
SRC_DST = 0x3
SRC_DST_TCP_UDP = 0xF
AF_INET, AF_INET6 = 2, 10
NOBODY = [0, 0, 0, 0]

MAPS = {
    "filter_ports": entries((net(53, 2), SRC_DST_TCP_UDP)),
    "filter_ipv4": entries((net(int(ipaddress.IPv4Address("10.0.0.1")), 4), SRC_DST)),
    "filter_ipv6": entries(({"in6_u": {"u6_addr8": list(ipaddress.IPv6Address("fd00::1").packed)}},
                            SRC_DST)),
    "filter_ethernet": entries(({"addr": [2, 0, 0, 0, 0, 1]}, SRC_DST)),
    # From prog_tests/l4lb_all.c and xdp_noinline.c: a TCP service, and the third of the servers for this service.
    "vip_map": entries(({"daddr": {"v6": NOBODY}, "dport": 0, "family": 0, "protocol": TCP},
                        {"flags": 0, "vip_num": 5})),
    "vip_map_noinline": entries(({"vipv6": NOBODY, "port": 0, "family": 0, "proto": TCP},
                                 {"flags": 0, "vip_num": 5})),
    "ch_rings": entries((11, 3)),
    "reals": entries((3, {"dst": 0x1234, "flags": 0})),
    # From prog_tests/xdp.c: a tunnel for each address family.
    "vip2tnl": entries(*[({"daddr": {"v6": NOBODY}, "dport": 0, "family": family, "protocol": TCP},
                          {"saddr": {"v6": NOBODY}, "daddr": {"v6": NOBODY}, "family": family,
                           "dmac": [0, 0, 0, 0, 0, 0]}) for family in (AF_INET, AF_INET6)]),
}


def write_pcap(path, packets):
    """Writes a capture (https://www.ietf.org/archive/id/draft-gharris-opsawg-pcap-01.html); link type 1 is Ethernet."""
    with open(path, "wb") as pcap:
        pcap.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for packet in packets:
            pcap.write(struct.pack("<IIII", 0, 0, len(packet), len(packet)) + packet)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: inputs.py DIR")
    for name, packets in PCAPS.items():
        write_pcap(f"{sys.argv[1]}/{name}.pcap", packets)
    for name, content in MAPS.items():
        with open(f"{sys.argv[1]}/{name}.json", "w", encoding="ascii") as file:
            json.dump(content, file)


main()
