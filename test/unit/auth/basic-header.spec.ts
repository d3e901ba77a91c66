import { isBasicHeader, readBasic } from '../../../src/auth/headers/authorization-header.js';

const header = (text: string | Buffer) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('a Basic header', () => {
  it('is read, with either part percent-encoded or not', () => {
    expect(readBasic(header('key:secret'))).toEqual({ key: 'key', secret: 'secret' });
    expect(readBasic(header('k%65y:s%65cret'))).toEqual({ key: 'key', secret: 'secret' });
    expect(readBasic('basic   a2V5OnNlY3JldA')).toEqual({ key: 'key', secret: 'secret' });
  });

  it.each([
    '',
    'Basic',
    'Basic ',
    'Bearer a2V5OnM=',
    'Basic !!!!',
    'Basic a2V5OnM= extra',
    header('nocolon'),
    header(':secret'),
    header('key:'),
    header('ke\0y:secret'),
    header('key:se\ncret'),
    header('key:%'),
    header('key:%00'),
    header(Buffer.from([0xff, 0x3a, 0xfe])),
    header(`${'k'.repeat(5000)}:s`),
    `Basic ${'A'.repeat(100_000)}`,
  ])('that is broken is undefined: %#', (broken) => {
    expect(readBasic(broken)).toBeUndefined();
  });

  it('is told from others', () => {
    expect(['Basic x', 'basic', 'BASIC '].map(isBasicHeader)).toEqual([true, true, true]);
    expect(['', 'Basics x', 'OAuth x'].map(isBasicHeader)).toEqual([false, false, false]);
  });
});
