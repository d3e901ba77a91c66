import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { missingIn, stepsOf, TUTORIALS } from '../../support/tutorials.js';

it('are nine', () => expect(TUTORIALS.map(({ name }) => name[0]).join('')).toBe('123456789'));

describe.each(TUTORIALS)('$name', (tutorial) => {
  const { text, blocks } = tutorial;

  it('has at most 60 lines of text', () => {
    const prose = text.replaceAll(/^```.*?^```$/gms, '').split('\n');
    expect(prose.filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(60);
  });

  it('has links that lead to files and headings', () => {
    for (const [, target] of text.matchAll(/\]\((?!http)([^)]+)\)/g)) {
      const [file, heading] = target.split('#');
      const path = join('docs/tutorials', file);
      expect([target, existsSync(path)]).toEqual([target, true]);
      if (heading !== undefined) expect(anchorsOf(readFileSync(path, 'utf8'))).toContain(heading);
    }
  });

  it('has JSON and YAML that can be read, and names files that exist', () => {
    for (const block of blocks) {
      if (block.language === 'json') expect(JSON.parse(block.text)).toEqual(expect.anything());
      if (block.language === 'yaml') expect(parse(block.text)).toEqual(expect.anything());
    }
    for (const [path] of text.matchAll(/(?<![\w/])(?:deploy|packages|scripts)\/[\w./-]+\w/g))
      expect([path, existsSync(path)]).toEqual([path, true]);
  });
});

/** The headings of a page as the fragments that lead to them. */
const anchorsOf = (page: string): string[] =>
  [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

it('the steps of a page are its commands, with the lines that they print', () => {
  const blocks = [
    { language: 'sh', text: 'npm install && npm start\n' },
    { language: 'sh', text: 'one\n' },
    { language: 'text', text: 'a …\nb\n' },
    { language: 'console', text: 'not run\n' },
    { language: 'sh', text: 'two\n' },
  ];
  expect(stepsOf({ name: '', text: '', blocks })).toEqual([
    { commands: 'one\n', printed: ['a …', 'b'] },
    { commands: 'two\n', printed: [] },
  ]);
});

it('lines are missing if they are not there, or not in this order', () => {
  expect(missingIn('x\na   1 (b)\nc\n', ['a …(b)', 'c'])).toBeUndefined();
  expect(missingIn('c\na 1\n', ['a …', 'c'])).toBe('c');
});
