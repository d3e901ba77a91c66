import fc from 'fast-check';
import {
  JSON_BOUNDS,
  measureInPieces,
  VALUES_AT_ONCE,
  type JsonBounds,
} from '../../../src/common/http/bodies/json-bounds.js';
import { JsonRefusal, parseJson } from '../../../src/common/http/bodies/parse-json.js';

const UNBOUNDED: JsonBounds = { depth: 10_000, values: 10_000_000, shapes: 1_000_000 };

/** The measure of a text, without pauses. */
function measureJson(...given: Parameters<typeof measureInPieces>) {
  const measuring = measureInPieces(...given);
  for (;;) {
    const { done, value } = measuring.next();
    if (done) return value;
  }
}

/** What goes through a value knows of it, told without looking at its text. */
function countsOf(value: unknown): { depth: number; values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 1 };
  const inner = Object.values(value).map(countsOf);
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    values: 1 + inner.reduce((sum, { values }) => sum + values, 0),
  };
}

/** The beginnings of objects as sequences of names; of names that come twice JSON.parse keeps one, so none do here. */
function shapesOf(value: unknown, into = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return into;
  if (!Array.isArray(value)) {
    const names = Object.keys(value);
    names.forEach((_, i) => into.add(JSON.stringify(names.slice(0, i + 1))));
  }
  Object.values(value).forEach((each) => shapesOf(each, into));
  return into;
}

const json = fc.jsonValue({ maxDepth: 6 });
/** The same value written with white space, escapes and whatever else JSON leaves to the writer. */
const written = fc
  .tuple(json, fc.constantFrom(0, 1, '\t', '\r\n'), fc.boolean())
  .map(([value, space, escaped]): [unknown, string] => {
    const text = JSON.stringify(value, null, space);
    return [
      value,
      escaped ? text.replace(/[^\x20-\x7e\s]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`) : text,
    ];
  });

const bytesOf = (text: string) => Buffer.from(text);
const outcomeOf = async (text: string, bounds = UNBOUNDED, portions = { bytes: 128 * 1024, values: 10_000 }) =>
  parseJson(bytesOf(text), bounds, portions).then(
    (value) => ({ value }),
    (error: unknown) => {
      if (error instanceof JsonRefusal) return { refused: error.message };
      throw error;
    },
  );
/** The names of a value in their order, which does not make values unequal, and members that only look like an own one. */
const inOrder = (outcome: object) => JSON.stringify(outcome, null, 1);
const parsedBy = (text: string) => {
  try {
    return { value: JSON.parse(Buffer.from(text).toString('utf8')) as unknown };
  } catch {
    return { refused: 'The body is not well-formed JSON' };
  }
};

describe('measuring JSON', () => {
  it('counts values and levels exactly', () => {
    fc.assert(
      fc.property(written, ([value, text]) => {
        const { depth, values } = countsOf(value);
        const exact = { ...UNBOUNDED, depth, values };
        expect(measureJson(bytesOf(text), exact)).toMatchObject({ values });
        expect(measureJson(bytesOf(text), { ...exact, values: values - 1 })).toEqual({
          bound: 'values',
          max: values - 1,
        });
        if (depth > 0)
          expect(measureJson(bytesOf(text), { ...exact, depth: depth - 1 })).toEqual({
            bound: 'depth',
            max: depth - 1,
          });
      }),
      { numRuns: 500 },
    );
  });

  it('counts the ways in which objects begin', () => {
    const record = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd"', 'e\\', 'ü'), fc.integer());
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 40 }), (records) => {
        const text = JSON.stringify(records);
        const shapes = shapesOf(records).size;
        expect(measureJson(bytesOf(text), { ...UNBOUNDED, shapes })).toHaveProperty('values');
        // a text that is too short for so many names is not looked at for them
        if (shapes > 0 && text.length / 5 > shapes - 1)
          expect(measureJson(bytesOf(text), { ...UNBOUNDED, shapes: shapes - 1 })).toEqual({
            bound: 'shapes',
            max: shapes - 1,
          });
      }),
      { numRuns: 500 },
    );
  });

  it('stops at the bounds of a body, and of what is parsed at once', async () => {
    const many = (count: number) => `[${Array(count).fill('[]').join(',')}]`;
    expect(await outcomeOf(many(JSON_BOUNDS.values - 1), JSON_BOUNDS)).toHaveProperty('value');
    expect(await outcomeOf(many(JSON_BOUNDS.values), JSON_BOUNDS)).toEqual({
      refused: `The body must have at most ${JSON_BOUNDS.values} values`,
    });
    const wide = { ...JSON_BOUNDS, values: 10 * JSON_BOUNDS.values };
    const inOne = (count: number) => `[1,${many(count)},{"a":1}]`;
    expect(await outcomeOf(inOne(VALUES_AT_ONCE - 1), wide)).toHaveProperty('value');
    expect(await outcomeOf(inOne(VALUES_AT_ONCE), wide)).toEqual({
      refused: `An element of the body must have at most ${VALUES_AT_ONCE} values`,
    });
    expect(await outcomeOf(many(4 * VALUES_AT_ONCE), wide)).toHaveProperty('value');
  });
});

describe('parsing JSON', () => {
  const portions = fc.record({ bytes: fc.integer({ min: 1, max: 50 }), values: fc.integer({ min: 1, max: 5 }) });

  it('makes what JSON.parse makes, however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(written, portions, async ([, text], cut) => {
        const outcome = await outcomeOf(text, UNBOUNDED, cut);
        expect(outcome).toEqual(parsedBy(text));
        expect(inOrder(outcome)).toBe(inOrder(parsedBy(text)));
      }),
      { numRuns: 500 },
    );
  });

  it('makes what JSON.parse makes of lists in objects in lists, whatever their members are called', async () => {
    // text, and not values: a name may come twice, and what comes last counts
    const name = fc.constantFrom(
      '"a"',
      '"b"',
      '"\\u0061"',
      '"é"',
      '"1"',
      '"0"',
      '""',
      '"__proto__"',
      '"constructor"',
      '"]"',
    );
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 6, depthSize: 'small' },
        fc.constantFrom('1', '"a,b"', 'null', '[]', '{}', ' "[" '),
        fc.array(tie('value'), { maxLength: 6 }).map((elements) => `[${elements.join(',')}]`),
        fc
          .array(fc.tuple(name, tie('value')), { maxLength: 5 })
          .map((members) => `{${members.map((member) => member.join(' : ')).join(',')}}`),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(value, portions, async (text, cut) => {
        const outcome = await outcomeOf(text, UNBOUNDED, cut);
        expect(inOrder(outcome)).toBe(inOrder(parsedBy(text)));
        expect(outcome).toEqual(parsedBy(text));
      }),
      { numRuns: Number(process.env.JSON_RUNS ?? 1_500) },
    );
  });

  it('cuts long lists at every level, and nothing but lists', () => {
    const users = Array.from({ length: 5_000 }, (_, n) => ({ email: [String(n).padStart(64, '0')] }));
    const text = JSON.stringify([{ operation_type: 'Update', params: { users } }]);
    const measured = measureJson(bytesOf(text), UNBOUNDED, { bytes: 10_000, values: 1_000 });
    const cuts = 'cuts' in measured ? measured.cuts.map(({ at }) => at) : [];
    const longest = Math.max(...[...cuts, text.length].map((at, i) => at - (cuts[i - 1] ?? 0)));
    expect(longest).toBeLessThan(10_000 + JSON.stringify(users[0]).length + 1);
    expect(measureJson(bytesOf('{"a":[1],"b":{"c":[2]}}'), UNBOUNDED, { bytes: 1, values: 1 })).toMatchObject({
      cuts: [],
    });
  });

  it('refuses what JSON.parse refuses, and nothing else', async () => {
    const token = fc.constantFrom(
      ...[
        '[',
        ']',
        '{',
        '}',
        ',',
        ':',
        '"',
        '"a"',
        '"\\"',
        '\\',
        '1',
        '-',
        'null',
        'tru',
        ' ',
        '\n',
        '\u0000',
        'é',
        '[]',
        '{}',
        '"a":1',
        '"a":[',
        '],[',
        '}]',
        '[{',
      ],
    );
    const text = fc.oneof(
      fc.array(token, { minLength: 1, maxLength: 25 }).map((tokens) => tokens.join('')),
      fc.array(token, { maxLength: 12 }).map((tokens) => `[${tokens.join(',')}]`),
    );
    await fc.assert(
      fc.asyncProperty(text, portions, async (each, cut) => {
        if (/^[ \n]*$/.test(each)) return expect(await outcomeOf(each, UNBOUNDED, cut)).toEqual({ value: undefined });
        expect(await outcomeOf(each, UNBOUNDED, cut)).toEqual(parsedBy(each));
      }),
      { numRuns: Number(process.env.JSON_RUNS ?? 1_500) },
    );
  });

  it('says from which byte on a long text is broken', async () => {
    const text = `[1,2,3,4,x]`;
    await expect(parseJson(bytesOf(text), UNBOUNDED, { bytes: 1, values: 1 })).rejects.toMatchObject({
      message: 'The body is not well-formed JSON',
      details: expect.stringMatching(/^from byte 9 on: /) as string,
    });
    // what was sent, and nothing of how it was cut
    const nested = `[{"users":[{"a":[1]},{"b":[2]},{"c":[3,x]}]}]`;
    await expect(parseJson(bytesOf(nested), UNBOUNDED, { bytes: 1, values: 1 })).rejects.toMatchObject({
      details: expect.stringMatching(/^from byte 39 on: (?!.*continued).*'x'/) as string,
    });
  });
});
