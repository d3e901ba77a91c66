import { readFileSync } from 'node:fs';
import {
  inconsistenciesOf,
  readReferenceFile,
  REFERENCE_KINDS,
  writeReferenceFile,
  type ReferenceTables,
} from '../../../src/campaigns/reference/reference-data.rules.js';

const read = (text: string) => readReferenceFile(text, REFERENCE_KINDS);
const rowsOf = (text: string) => {
  const file = read(text);
  if (file.problems) throw new Error(file.problems.join('\n'));
  return file;
};
const shipped = (file: string) => readFileSync(`assets/${file}`, 'utf8');

it.each(REFERENCE_KINDS.map((kind) => [kind.name, kind] as const))(
  '%s come as a file that reads as itself',
  (_, kind) => {
    const text = shipped(kind.file);
    const file = rowsOf(text);
    expect(file.kind.name).toBe(kind.name);
    expect(`${writeReferenceFile(kind, file.rows)}\n`).toBe(text);
  },
);

it('what comes with the service fits together', () => {
  const tables = Object.fromEntries(REFERENCE_KINDS.map((kind) => [kind.name, rowsOf(shipped(kind.file)).rows]));
  expect(inconsistenciesOf(tables as unknown as ReferenceTables)).toEqual([]);
});

it('takes files of other systems and columns in any order', () => {
  const text = '\uFEFFname\tid\tparent_id\r\n Arts \tIAB1\t\r\n\r\nBooks\tIAB1-1\tIAB1\r\n';
  expect(rowsOf(text).rows).toEqual([
    { id: 'IAB1', parentId: null, name: 'Arts', position: 0 },
    { id: 'IAB1-1', parentId: 'IAB1', name: 'Books', position: 1 },
  ]);
});

it('bounds a list', () => {
  const lines = Array.from({ length: 10_001 }, (_, i) => `IAB${i}\t\tx`);
  expect(read(['id\tparent_id\tname', ...lines].join('\n'))).toEqual({
    problems: ['a list has at most 10000 rows, and this file has 10001'],
  });
});
