import { type CompletedCommand, quoteWord, type Value } from './model.js';

/** The completions for bash 3.2 and later, without other packages. */
export function bashCompletion(commands: CompletedCommand[]): string {
  const typed = commands.map(
    ({ words, commands: subcommands, options }) => `    ${quoteWord(words.join(' '))})
      names=${quoteWord(subcommands.map(({ name }) => name).join(' '))}
      flags=${quoteWord(options.flatMap(({ names }) => names).join(' '))}
      valued=${quoteWord(options.flatMap(({ names, value }) => (value ? names : [])).join(' '))} ;;`,
  );
  const values = commands.flatMap(({ words, options, values: places }) => [
    ...options.flatMap(({ names, value }) => (value ? names.map((name) => branch(words, name, value)) : [])),
    ...places.map((value, place) => branch(words, `#${place}`, value)),
  ]);
  return `# Completions of marquee for bash. In ~/.bashrc: source <(marquee completion bash), or npx marquee

# What can be typed behind a command: further commands, options, and those of them that take a value.
_marquee_behind() {
  names='' flags='' valued=''
  case $1 in
${typed.join('\n')}
  esac
}

# The values of an option, or of the argument at a place.
_marquee_values() {
  choices='' files=''
  case $1 in
${values.filter(Boolean).join('\n')}
  esac
}

${COMPLETE}`;
}

/** Completes a word, for marquee and for npx. */
const COMPLETE = `_marquee() {
  local at='' option='' place=0 names flags valued choices files word i
  local cur=\${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ -n $option ]]; then
      [[ $word == = ]] || option=''
      continue
    fi
    _marquee_behind "$at"
    if [[ " $valued " == *" $word "* ]]; then option=$word
    elif [[ $word == -* ]]; then continue
    elif [[ " $names " == *" $word "* ]]; then at=\${at:+$at }$word
    else place=$((place + 1)); fi
  done
  # --option=value arrives as three words.
  [[ -n $option && $cur == = ]] && cur=''
  _marquee_behind "$at"
  _marquee_values "$at \${option:-#$place}"
  if [[ -z $option && $cur == -* ]]; then choices=$flags files=''
  elif [[ -z $option && $place == 0 ]]; then choices="$names $choices"; fi
  local IFS=$' \\n'
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    IFS=$'\\n'
    COMPREPLY=($(compgen -f -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$choices" -- "$cur"))
  fi
}
complete -F _marquee marquee

# npx marquee: the same, one word later. Whatever else npx runs is completed as before.
_marquee_npx_before=\${_marquee_npx_before-$(complete -p npx 2>/dev/null | sed -n 's/.* -F \\([^ ]*\\) .*/\\1/p')}
_marquee_npx() {
  COMPREPLY=()
  if ((COMP_CWORD > 1)) && [[ \${COMP_WORDS[1]} == marquee ]]; then
    compopt +o default 2>/dev/null
    COMP_WORDS=("\${COMP_WORDS[@]:1}")
    COMP_CWORD=$((COMP_CWORD - 1))
    _marquee
  elif [[ -n $_marquee_npx_before ]]; then "$_marquee_npx_before" "$@"
  elif ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W marquee -- "\${COMP_WORDS[1]}")); fi
}
complete -o default -F _marquee_npx npx
`;

function branch(words: string[], name: string, { choices, isFile }: Value): string {
  if (!isFile && choices.length === 0) return '';
  const found = isFile ? 'files=yes' : `choices=${quoteWord(choices.join(' '))}`;
  return `    ${quoteWord([words.join(' '), name].join(' '))}) ${found} ;;`;
}
