import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'docs/tutorials';

/** A fenced block of a page. */
export interface Block {
  language: string;
  text: string;
}

export interface Tutorial {
  name: string;
  text: string;
  blocks: Block[];
}

export const TUTORIALS: Tutorial[] = readdirSync(FOLDER)
  .sort()
  .map((name) => {
    const text = readFileSync(join(FOLDER, name), 'utf8');
    const blocks = [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language, block]) => ({
      language,
      text: block,
    }));
    return { name, text, blocks };
  });

/** Commands that a reader gives, and the lines that they are to print, in this order. */
export interface Step {
  commands: string;
  printed: string[];
}

/** The steps of a page; without the one that starts the service, which the test has done. */
export function stepsOf({ blocks }: Tutorial): Step[] {
  return blocks.flatMap(({ language, text }, i) => {
    if (language !== 'sh' || /\bnpm start\b/.test(text)) return [];
    const next = blocks[i + 1];
    return [{ commands: text, printed: next?.language === 'text' ? next.text.trimEnd().split('\n') : [] }];
  });
}

/** All steps as one script, in which each begins with a line of its number. */
export const scriptOf = (steps: Step[]): string =>
  ['exec 2>&1', ...steps.map(({ commands }, i) => `printf '\\n@@@ ${i}\\n'\n${commands}`)].join('\n');

/** What each step printed. */
export const outputsOf = (printed: string): string[] => printed.split(/^@@@ \d+\n/m).slice(1);

const inPattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** The first line that an output does not have after the ones before it; `…` stands for anything, and spaces for any number of them. */
export function missingIn(output: string, lines: string[]): string | undefined {
  let from = 0;
  for (const line of lines) {
    const parts = line
      .trim()
      .split('…')
      .map((part) => inPattern(part).replace(/ +/g, ' +'));
    const found = new RegExp(parts.join('.*')).exec(output.slice(from));
    if (!found) return line;
    from += found.index + found[0].length;
  }
  return undefined;
}
