import type { PlatformPost } from '../creatives/posts/post-publication.service.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Users of the demo who only post. */
export const GUESTS: readonly [username: string, name: string][] = [
  ['lena_pours', 'Lena pours'],
  ['finn_filters', 'Finn, filter only'],
  ['rosa_roasts', 'Rosa roasts at home'],
  ['dan_decaf', 'Dan without caffeine'],
  ['mika_cafe', 'Mika'],
];

/** The posts of the brand's friend, which the account may promote. */
const FRIENDLY = [
  'First sip of the autumn blend by @demo, and I am staying home today. #coffee',
  'Is there a better smell than a #roastery in the morning?',
  'Cold brew after the run. No notes.',
  'Tried to make #latteart. It is a cloud. It is always a cloud.',
  'Who else keeps beans in the freezer? Asking for a friend of the brand.',
];

/** The posts of the guests, in rotation. */
const SAID = [
  'Cold brew season never ends. Coffee first, questions later. #coldbrew',
  'New grinder, same kitchen, much better espresso. #coffee #homebarista',
  'The autumn blend smells of plum and cocoa. #coffee',
  'Filter coffee and rain: the only weather report I need.',
  'Oat milk or cow milk in a flat white? Fight. #coffee #flatwhite',
  'Third espresso, second wind. #espresso',
  'Light roast on a Monday is an act of hope. #coffee #lightroast',
  'Latte art class tonight. Expectations: low. #latteart',
  'Single origin from Ethiopia, pour over, jazz. #coffee #pourover',
  'Breakfast: croissant, espresso, silence.',
  'Who roasts at home? My smoke alarm does not approve. #homeroasting #coffee',
  'Iced coffee in October, and nobody can stop me. #icedcoffee',
  'Tea people, tell me what I am missing. #tea',
  'Matcha latte today, coffee again tomorrow. #matcha',
  'Found a roastery behind the station. Best espresso in town. #roastery #coffee',
  'The farmers market had pumpkins, honey and a coffee cart. #autumn',
  'Long run, then cold brew. Ten kilometres for one glass. #running #coldbrew',
  'Decaf tastes like coffee now. What a time to be awake. #decaf #coffee',
  'Book, blanket, black coffee. #autumn #reading',
  '京都の喫茶店でコーヒーを飲みました。とても静か。 #コーヒー',
  'Café con leche y un buen libro. #café',
  'Espresso tonic: yes or no? #espresso #coffee',
  'The barista remembered my name and my oat flat white. #barista',
  'Weekend plans: pour over, pancakes, nothing else. #coffee #weekend',
  'My plants get the coffee grounds and grow faster than me. #gardening',
  'Moka pot or French press in the morning? #coffee #mokapot',
  'A cortado is a hug with a schedule. #cortado',
  'Coffee shop office today: fast wifi, slow espresso. #remotework',
  'Roasting day. The whole street smells of cocoa. #roastery',
  'Gift cards for every coffee lover I know. Done shopping. #gifts #coffee',
  'Cold brew on tap at the gym. Finally a reason to go. #coldbrew #fitness',
  'Cinnamon in the coffee: heresy or holiday? #autumn #coffee',
  'One more espresso before the train. #travel #espresso',
  'Watched the rain with a pour over for an hour. #pourover',
  'Fresh beans day! #coffee #freshbeans',
  'Milk steaming is ninety percent listening. #barista #latteart',
] as const;

/**
 * Organic posts of the last week by the friend and the guests, oldest first, without duplicates. There are more by day
 * than by night.
 */
export function weekOfPosts(friendId: string, guestIds: readonly string[], now: Date): PlatformPost[] {
  const weekAgo = now.getTime() - 7 * DAY;
  const friendly = FRIENDLY.map((text, i) => ({
    authorId: friendId,
    text,
    at: new Date(weekAgo + 12 * HOUR + i * 30 * HOUR),
  }));
  // Shifted in the second round, so that no guest posts the same text twice.
  const guests = Array.from({ length: 2 * SAID.length }, (_, i) => ({
    authorId: guestIds[(i + Math.floor(i / SAID.length)) % guestIds.length],
    text: SAID[i % SAID.length],
    at: new Date(weekAgo + HOUR + Math.floor((i * 7 * 23.5 * HOUR) / (2 * SAID.length)) + ((i * i) % 7) * 11 * 60_000),
  }));
  return [...friendly, ...guests].sort((one, other) => one.at.getTime() - other.at.getTime());
}
