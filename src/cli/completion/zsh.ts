import { type CompletedCommand, quoteWord, type Value } from './model.js';

/** The completions for zsh, to be sourced or put into a file `_marquee` of `$fpath`. */
export function zshCompletion(commands: CompletedCommand[]): string {
  const typed = commands.map(
    ({ words, commands: subcommands, options }) => `    ${quoteWord(words.join(' '))})
      names=(${list(subcommands.map(({ name, about }) => described(name, about)))})
      flags=(${list(options.flatMap(({ names, about }) => names.map((name) => described(name, about))))})
      valued=(${list(options.flatMap(({ names, value }) => (value ? names : [])))}) ;;`,
  );
  const values = commands.flatMap(({ words, options, values: places }) => [
    ...options.flatMap(({ names, value }) => (value ? names.map((name) => branch(words, name, value)) : [])),
    ...places.map((value, place) => branch(words, `#${place}`, value)),
  ]);
  return `#compdef marquee
# Completions of marquee for zsh. In ~/.zshrc, after compinit: source <(marquee completion zsh), or npx marquee

# What can be typed behind a command: further commands, options, and those of them that take a value.
_marquee_behind() {
  names=() flags=() valued=()
  case $1 in
${typed.join('\n')}
  esac
}

# The values of an option, or of the argument at a place.
_marquee_values() {
  choices=() files=
  case $1 in
${values.filter(Boolean).join('\n')}
  esac
}

${COMPLETE}`;
}

/** Completes a word, for marquee and for npx. */
const COMPLETE = `_marquee() {
  local at= option= files= word
  local -a names plain flags valued choices
  local -i i place=0
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    if [[ -n $option ]]; then option=; continue; fi
    _marquee_behind "$at"
    plain=(\${names%%:*})
    if (( $valued[(Ie)$word] )); then option=$word
    elif [[ $word == -* ]]; then continue
    elif (( $plain[(Ie)$word] )); then at="\${at:+$at }$word"
    else place+=1; fi
  done
  if [[ -z $option && $PREFIX == --*=* ]]; then
    option=\${PREFIX%%=*}
    compset -P '*='
  fi
  _marquee_behind "$at"
  _marquee_values "$at \${option:-#$place}"
  if [[ -z $option && $PREFIX == -* ]]; then _describe -o option flags
  elif [[ -n $files ]]; then _files
  else
    (( $#choices )) && compadd -a choices
    [[ -z $option ]] && (( place == 0 && $#names )) && _describe command names
  fi
  return 0
}

# npx marquee: the same, one word later. Whatever else npx runs is completed as before.
_marquee_npx() {
  if (( CURRENT > 2 )) && [[ $words[2] == marquee ]]; then
    shift words
    (( CURRENT-- ))
    _marquee
  elif [[ -n $_marquee_npx_before ]]; then
    $_marquee_npx_before
  else
    (( CURRENT == 2 )) && compadd marquee
    _files
  fi
}

if [[ $funcstack[1] == _marquee ]]; then _marquee "$@"
else
  [[ $_comps[npx] == _marquee_npx ]] || typeset -g _marquee_npx_before=$_comps[npx]
  compdef _marquee marquee
  compdef _marquee_npx npx
fi
`;

/** A word and its description in the format of _describe. */
const described = (name: string, about: string) => `${name}:${about.replaceAll('\n', ' ')}`;

const list = (words: readonly string[]): string => words.map(quoteWord).join(' ');

function branch(words: string[], name: string, { choices, isFile }: Value): string {
  if (!isFile && choices.length === 0) return '';
  return `    ${quoteWord([words.join(' '), name].join(' '))}) ${isFile ? 'files=yes' : `choices=(${list(choices)})`} ;;`;
}
