import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Classes {
  [name: string]: { comment?: string; members: Record<string, string>; parent?: string };
}
const { readDocComments, memberComment } = (await import(
  new URL('../../../scripts/doc-comments.mjs', import.meta.url).pathname
)) as {
  readDocComments(folder: string): Classes;
  memberComment(classes: Classes, name: string, member: string): string | undefined;
};

const SOURCE = `
/** Makes one. */
function Listed(entity: object) {
  class Parameters {
    /** How many. */
    count: number;
  }
  return Parameters;
}
/** A list. */
class ListThings extends Listed(Object) {
  /** One line. */
  one() {}
  /**
   * Two
   * lines.
   */
  two: string;
  none: string;
}
class ListMore extends ListThings {}
`;

describe('doc comments', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'marquee-comments-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('are read off the sources, of what a class extends too', () => {
    writeFileSync(join(folder, 'things.ts'), SOURCE);
    const classes = readDocComments(folder);
    expect(classes.ListThings.comment).toBe('A list.');
    const of = (member: string) => memberComment(classes, 'ListMore', member);
    expect(['one', 'two', 'none', 'count'].map(of)).toEqual(['One line.', 'Two lines.', undefined, 'How many.']);
  });

  it('are not mixed up between two classes of one name', () => {
    for (const name of ['one', 'other'])
      writeFileSync(join(folder, `${name}.ts`), 'class Thing {\n  /** It. */\n  it: string;\n}');
    expect(() => readDocComments(folder)).toThrow('Two classes are called Thing');
  });
});
