/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends frames of any content, and makes a device without an Ethernet header.
 */
#ifndef KTEST_FRAMES_H
#define KTEST_FRAMES_H

#include <linux/types.h>

/*
 * Sends cnt copies of a frame through the device. hex has the frame as hexadecimal digits. A frame
 * that is shorter than 64 bytes is filled up with zeroes. Returns 0 or -errno.
 */
int frames__send(const char *device, const char *hex, __u64 cnt);
/*
 * Enters a new network namespace, makes the tun device tun0 there, and attaches the tc program to
 * its egress. The namespace, the device and the attachment last as long as this process. Returns 0
 * or -errno.
 */
int tun__attach(__u32 prog_id);

#endif
