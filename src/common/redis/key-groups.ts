import { hash } from 'node:crypto';

/**
 * The number of groups into which the keys of a Redis Cluster are divided. More would spread them better over many
 * nodes, but every heartbeat asks each group. A running cluster must not see two different numbers.
 */
export const KEY_GROUPS = 64;

/** The group of all keys of one home, such as an account or a token: they are in the same slot. */
export const groupOf = (home: string): number => hash('sha1', home, 'buffer').readUInt32BE(0) % KEY_GROUPS;

/** The beginning of all keys of a group. Redis computes the slot of a key from the text in braces. */
export const groupPrefix = (prefix: string, group: number): string => `${prefix}{g${group}}:`;
