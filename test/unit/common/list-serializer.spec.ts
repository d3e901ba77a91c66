import 'reflect-metadata';
import { ApiProperty } from '@nestjs/swagger';
import fc from 'fast-check';
import fastJson from 'fast-json-stringify';
import { compileSerializer } from '../../../src/common/http/answers/list-serializer.js';
import { schemaOf, Unescaped } from '../../../src/common/http/answers/responses.js';
import { Shared } from '../../../src/common/http/answers/list-serializer.js';

class OwnerView {
  @ApiProperty() name: string;
  @ApiProperty({ type: String, required: false }) motto?: string;
}

class ThingView {
  @ApiProperty({ type: String, required: false }) note?: string;
  @ApiProperty() @Unescaped() id: string;
  @ApiProperty({ type: OwnerView }) @Shared() owner: OwnerView;
  @ApiProperty({ type: String, nullable: true }) name: string | null;
  @ApiProperty({ type: 'integer' }) size: number;
}

class PlainView {
  @ApiProperty({ type: String, required: false }) note?: string;
  @ApiProperty({ type: OwnerView, required: false }) @Shared() owner?: OwnerView;
}

const request = {
  type: 'object',
  properties: { params: { type: 'object', additionalProperties: true } },
} as const;
const listOf = (view: new () => object) => ({
  type: 'object',
  properties: {
    request,
    next_cursor: { type: 'string', nullable: true },
    data: { type: 'array', items: schemaOf(view) },
    meta: { type: 'object', properties: { result_count: { type: 'integer' } } },
  },
});

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"', '\\', '\n', 'café', '☕', '","x":"'));
const owner = fc.record({ name: text, motto: text }, { requiredKeys: ['name'] });
const things = fc
  .tuple(fc.array(owner, { minLength: 1, maxLength: 3 }), fc.nat({ max: 60 }), text)
  .chain(([owners, length, id]) =>
    fc.array(
      fc.record(
        {
          note: text,
          id: fc.constant(id.replace(/["\\]|\p{C}/gu, '')),
          owner: fc.constantFrom(...owners),
          name: fc.option(text),
          size: fc.nat(),
        },
        { requiredKeys: ['id', 'owner', 'name', 'size'] },
      ),
      { minLength: length, maxLength: length },
    ),
  );

/** The envelope with any of its keys absent. */
const envelope = <T>(data: fc.Arbitrary<T>) =>
  fc
    .record(
      {
        request: fc.record({ params: fc.dictionary(fc.string(), text) }),
        next_cursor: fc.option(text),
        meta: fc.constant({ result_count: 1 }),
      },
      { requiredKeys: [] },
    )
    .chain((keys) => data.map((each) => ({ ...keys, data: each })));

describe('the serializer of an answer', () => {
  it.each([
    ['a shared property', ThingView, things],
    ['an optional shared property', PlainView, things],
    ['no items', ThingView, fc.constant([])],
  ])('writes the bytes of fast-json-stringify: %s', (_, view, data: fc.Arbitrary<unknown>) => {
    const schema = listOf(view);
    const [ours, theirs] = [compileSerializer(schema), fastJson(schema as object)];
    fc.assert(
      fc.property(envelope(data), (answer) => {
        expect(Buffer.from(ours(answer)).toString()).toBe(Buffer.from(theirs(answer)).toString());
      }),
    );
  });

  it('writes lists that are larger than its buffer, and keeps earlier ones as they are', () => {
    const schema = listOf(ThingView);
    const [ours, theirs] = [compileSerializer(schema), fastJson(schema as object)];
    const list = (letter: string, length: number) => ({
      data: Array.from({ length: 100 }, (_, i) => {
        const of = { name: `${letter}é`.repeat(length) };
        return { id: `${i}`, owner: of, name: letter, size: i };
      }),
    });
    const lists = [list('a', 10), list('b', 50_000), list('c', 20)];
    const written = lists.map((each) => ours(each));
    expect(written.map((each) => each.toString())).toEqual(lists.map((each) => theirs(each)));
  });

  it('throws for a required property that is missing, and then writes the next list', () => {
    const schema = listOf(ThingView);
    const ours = compileSerializer(schema);
    const good = Array.from({ length: 30 }, () => ({ id: '1', owner: { name: 'A' }, name: null, size: 1 }));
    const bad = [...good, { id: '1', owner: { name: 'A' }, name: null }];
    expect(() => ours({ data: bad })).toThrow('"size" is required!');
    expect(ours({ data: good }).toString()).toBe(fastJson(schema as object)({ data: good }));
  });
});
