import { inSlices } from '../../concurrency/in-slices.js';

/**
 * Arrays of integers as statement parameters, in PostgreSQL's binary format. pg copies them as they are, whereas a text
 * of as many numbers would block the process while its pieces are joined.
 */

const INT4 = { oid: 23, bytes: 4 };
const INT8 = { oid: 20, bytes: 8 };
const HEADER_BYTES = 20;
/** Each element begins with its length. */
const LENGTH_BYTES = 4;

/** An `int[]` of a fixed length. Every element must be set. */
export interface Int4Array {
  parameter: Buffer;
  set(index: number, value: number): void;
}

/** A `bigint[]` of a fixed length. Every element must be set, as a value or as two signed words of 32 bits. */
export interface Int8Array {
  parameter: Buffer;
  set(index: number, value: bigint): void;
  setWords(index: number, high: number, low: number): void;
}

export function int4Array(length: number): Int4Array {
  const parameter = unset(INT4, length);
  return { parameter, set: (index, value) => void parameter.writeInt32BE(value, beginElement(parameter, INT4, index)) };
}

export function int8Array(length: number): Int8Array {
  const parameter = unset(INT8, length);
  return {
    parameter,
    set: (index, value) => void parameter.writeBigInt64BE(value, beginElement(parameter, INT8, index)),
    setWords: (index, high, low) => {
      const offset = beginElement(parameter, INT8, index);
      parameter.writeInt32BE(high, offset);
      parameter.writeInt32BE(low, offset + 4);
    },
  };
}

/** The `int[]` of these numbers. */
export async function int4ArrayOf(numbers: readonly number[]): Promise<Buffer> {
  const array = int4Array(numbers.length);
  await inSlices(numbers.entries(), ([index, number]) => array.set(index, number));
  return array.parameter;
}

/** Writes the length of an element, and returns the offset of its value. */
function beginElement(array: Buffer, { bytes }: typeof INT4, index: number): number {
  return array.writeInt32BE(bytes, HEADER_BYTES + index * (LENGTH_BYTES + bytes));
}

function unset({ oid, bytes }: typeof INT4, length: number): Buffer {
  const array = Buffer.allocUnsafe(HEADER_BYTES + length * (LENGTH_BYTES + bytes));
  // the number of dimensions, no NULLs, the type, the length, the first subscript
  for (const [word, value] of [1, 0, oid, length, 1].entries()) array.writeInt32BE(value, word * 4);
  return array;
}
