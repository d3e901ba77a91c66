import type { Goal } from '../../campaigns/entities/line-item.tables.js';
import { rounded, share, type Draws } from './draw.js';
import type { PromotedThing, SimulatedLineItem } from './simulated-line-item.js';
import {
  ENGAGEMENT_KINDS,
  NETWORK_RATES,
  QUALIFIED,
  RATES,
  VIDEO_STEPS,
  type EngagementKind,
  type EngagementRates,
} from './delivery.tables.js';

/** The events of users, as the columns of a fact. */
export interface CountedEvents {
  impressions: number;
  engagements: number;
  retweets: number;
  replies: number;
  likes: number;
  follows: number;
  cardEngagements: number;
  clicks: number;
  appClicks: number;
  urlClicks: number;
  qualifiedImpressions: number;
  carouselSwipes: number;
  videoTotalViews: number;
  videoViews25: number;
  videoViews50: number;
  videoViews75: number;
  videoViews100: number;
  videoCtaClicks: number;
  videoContentStarts: number;
  video3s100pctViews: number;
  video6sViews: number;
  video15sViews: number;
  mediaViews: number;
  mediaEngagements: number;
}

type Terms = Pick<SimulatedLineItem, 'objective' | 'goal' | 'payBy' | 'hasLongerViews'>;

/** Impressions of a thing. */
export interface ShownImpressions {
  item: Terms;
  thing: Pick<PromotedThing, 'kind' | 'isVideo'>;
  network: boolean;
  impressions: number;
}

/** The kind of engagement that is billed. */
const BILLED_KINDS = { APP_CLICK: 'appClicks', FOLLOW: 'follows', LINK_CLICK: 'urlClicks' } as const;

/** Views of 1,000,000 impressions of a video, by goal. They follow from the steps of watching. */
const VIEW_RATES: Partial<Record<Goal, number>> = {
  PREROLL_STARTS: 650_000,
  VIEW_3S_100PCT: 270_400,
  VIEW_6S: 189_280,
  VIEW_15S: 113_568,
};
const VIEW_RATE = 338_000;
/** Those of 3 seconds, and those that begin with a click. */
const LONGER_VIEW_RATE = 287_300;

/** The billable events of 1,000,000 impressions. */
export function billableRate(
  { payBy, objective, goal, hasLongerViews }: Terms,
  thing: ShownImpressions['thing'],
  network: boolean,
): number {
  if (payBy === 'IMPRESSION') return 1_000_000;
  if (payBy === 'VIEW')
    return thing.isVideo ? (VIEW_RATES[goal] ?? (hasLongerViews ? LONGER_VIEW_RATE : VIEW_RATE)) : 0;
  const rates = ratesOf(objective, thing, network);
  if (payBy === 'ENGAGEMENT') return Object.values(rates).reduce((sum, each) => sum + each, 0);
  return rates[BILLED_KINDS[payBy]];
}

/** The events of these impressions. */
export function deliveryEventsOf(shown: ShownImpressions, draws: Draws): CountedEvents {
  const { item, thing, network, impressions } = shown;
  const kinds = engagementsOf(shown, ratesOf(item.objective, thing, network), draws);
  const { urlClicks, appClicks, follows, likes, retweets, replies, details } = kinds;
  const engagements = ENGAGEMENT_KINDS.reduce((sum, kind) => sum + kinds[kind], 0);
  const isMedia = thing.kind === 'MEDIA_CREATIVE';
  const video = thing.isVideo
    ? videoOf(impressions, urlClicks, { draws, hasLongerViews: item.hasLongerViews })
    : NO_VIDEO;
  return {
    impressions,
    engagements,
    retweets,
    replies,
    likes,
    follows,
    cardEngagements: isMedia ? 0 : urlClicks + appClicks,
    clicks: urlClicks + appClicks + likes + retweets + replies + details,
    appClicks,
    urlClicks,
    qualifiedImpressions: share(impressions, QUALIFIED, 1_000),
    carouselSwipes: 0,
    mediaViews: video.videoTotalViews,
    mediaEngagements: isMedia ? engagements : 0,
    ...video,
  };
}

/** Each kind of engagement by its rate, while impressions without an engagement are left. */
function engagementsOf(
  { impressions, item: { payBy } }: ShownImpressions,
  rates: EngagementRates,
  draws: Draws,
): Record<EngagementKind, number> {
  const counts = { urlClicks: 0, appClicks: 0, follows: 0, likes: 0, retweets: 0, replies: 0, details: 0 };
  const billed = payBy in BILLED_KINDS ? BILLED_KINDS[payBy as keyof typeof BILLED_KINDS] : undefined;
  let left = impressions;
  for (const kind of billed ? [billed, ...ENGAGEMENT_KINDS.filter((each) => each !== billed)] : ENGAGEMENT_KINDS) {
    if (rates[kind] === 0) continue;
    counts[kind] = Math.min(left, rounded(impressions, rates[kind], 1_000_000, draws.and(kind)));
    left -= counts[kind];
  }
  return counts;
}

type VideoEvents = Pick<
  CountedEvents,
  | 'videoTotalViews'
  | 'videoViews25'
  | 'videoViews50'
  | 'videoViews75'
  | 'videoViews100'
  | 'videoCtaClicks'
  | 'videoContentStarts'
  | 'video3s100pctViews'
  | 'video6sViews'
  | 'video15sViews'
>;

const NO_VIDEO: VideoEvents = {
  videoTotalViews: 0,
  videoViews25: 0,
  videoViews50: 0,
  videoViews75: 0,
  videoViews100: 0,
  videoCtaClicks: 0,
  videoContentStarts: 0,
  video3s100pctViews: 0,
  video6sViews: 0,
  video15sViews: 0,
};

/** The views of a video by the share that users watched. Each step is at most the step before it. */
function videoOf(
  impressions: number,
  urlClicks: number,
  { draws, hasLongerViews }: { draws: Draws; hasLongerViews?: boolean },
): VideoEvents {
  const part = (of: number, step: keyof typeof VIDEO_STEPS) =>
    of === 0 ? 0 : Math.min(of, rounded(of, VIDEO_STEPS[step], 1_000, draws.and(step)));
  const videoContentStarts = part(impressions, 'starts');
  const videoViews25 = part(videoContentStarts, 'quarter');
  const videoViews50 = part(videoViews25, 'half');
  const videoViews75 = part(videoViews50, 'threeQuarters');
  const views = part(videoContentStarts, 'views');
  const video3s100pctViews = part(views, 'threeSeconds');
  const clicksToPlay = hasLongerViews ? part(views - video3s100pctViews, 'clicksToPlay') : 0;
  const video6sViews = part(video3s100pctViews, 'sixSeconds');
  return {
    videoTotalViews: hasLongerViews ? video3s100pctViews + clicksToPlay : views,
    videoViews25,
    videoViews50,
    videoViews75,
    videoViews100: part(videoViews75, 'whole'),
    videoCtaClicks: Math.min(urlClicks, videoContentStarts),
    videoContentStarts,
    video3s100pctViews,
    video6sViews,
    video15sViews: part(video6sViews, 'fifteenSeconds'),
  };
}

/** The number of billable events. */
export function billedOf({ payBy, goal }: Terms, events: CountedEvents): number {
  switch (payBy) {
    case 'IMPRESSION':
      return events.impressions;
    case 'ENGAGEMENT':
      return events.engagements;
    case 'VIEW':
      return viewsOf(goal, events);
    default:
      return events[BILLED_KINDS[payBy]];
  }
}

function viewsOf(goal: Goal, events: CountedEvents): number {
  if (goal === 'PREROLL_STARTS') return events.videoContentStarts;
  if (goal === 'VIEW_3S_100PCT') return events.video3s100pctViews;
  if (goal === 'VIEW_6S') return events.video6sViews;
  return goal === 'VIEW_15S' ? events.video15sViews : events.videoTotalViews;
}

type Kind = ShownImpressions['thing']['kind'];

/** The rates that were asked for: there are few combinations. */
const known = new Map<string, EngagementRates>();

/** The rates of a thing on a placement: users cannot like or follow media without a post. */
function ratesOf(objective: Terms['objective'], { kind }: { kind: Kind }, network: boolean): EngagementRates {
  const key = `${objective} ${kind} ${network}`;
  let rates = known.get(key);
  if (rates) return rates;
  rates = { ...RATES[objective] };
  if (kind === 'MEDIA_CREATIVE') Object.assign(rates, { follows: 0, likes: 0, retweets: 0, replies: 0 });
  if (network) for (const name of ENGAGEMENT_KINDS) rates[name] = share(rates[name], NETWORK_RATES, 1_000);
  known.set(key, rates);
  return rates;
}
