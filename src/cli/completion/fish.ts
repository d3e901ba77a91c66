import type { CompletedCommand, Value } from './model.js';

/** The completions for fish. */
export function fishCompletion(commands: CompletedCommand[]): string {
  const known = commands.filter(({ words }) => words.length > 0).map(({ words }) => quoted(words.join(' ')));
  return `# Completions of marquee and npx marquee for fish, for ~/.config/fish/conf.d/marquee.fish

# Whether this is the command that was typed so far, and so many arguments behind it; the rest are options that take a value.
function __marquee_at
    set -l known ${known.join(' ')}
    set -l at
    set -l place 0
    set -l option
    for word in (commandline -opc)[2..-1]
        if test -n "$option"
            set option
        else if contains -- $word $argv[3..-1]
            set option $word
        else if string match -q -- '-*' $word
            continue
        else if contains -- (string join ' ' -- $at $word) $known
            set -a at $word
        else
            set place (math $place + 1)
        end
    end
    test "$at" = "$argv[1]"; and contains -- "$argv[2]" any $place
end

# Whether npx runs marquee here.
function __marquee_npx
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test "$words[2]" = marquee
end

complete -c npx -n 'test (count (commandline -opc)) -eq 1' -a marquee
complete -c npx -n __marquee_npx -f -a '(complete -C (string replace -r "^\\s*\\S+\\s+" "" -- (commandline -cp)))'
complete -c marquee -f
${commands.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ words, commands, options, values }: CompletedCommand): string[] {
  const valued = options.flatMap(({ names, value }) => (value ? names : []));
  const complete = (place: number | 'any', rest: string) => {
    const condition = ['__marquee_at', quoted(words.join(' ')), place, ...(place === 'any' ? [] : valued)].join(' ');
    return `complete -c marquee -n ${quoted(condition)} ${rest}`;
  };
  return [
    ...commands.map(({ name, about }) => complete(0, `-a ${quoted(name)} -d ${quoted(about)}`)),
    ...options.map(({ names, about, value }) => {
      const spelled = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
      return complete('any', [...spelled, ...(value ? [`-r ${shownOf(value)}`] : []), `-d ${quoted(about)}`].join(' '));
    }),
    ...values.flatMap((value, place) =>
      value.isFile || value.choices.length > 0 ? [complete(place, shownOf(value))] : [],
    ),
  ];
}

const shownOf = ({ choices, isFile }: Value): string => {
  if (isFile) return '-F';
  return choices.length > 0 ? `-f -a ${quoted(choices.join(' '))}` : '-f';
};

/** A single-quoted text for fish. */
const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
