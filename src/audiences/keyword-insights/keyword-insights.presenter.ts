import { ApiProperty } from '@nestjs/swagger';

export class KeywordInsightsView {
  /** 30 words, hashtags and word pairs related to the keywords, most significant first. */
  @ApiProperty({ type: String, isArray: true, minItems: 30, maxItems: 30 })
  related_keywords: string[];
  /** Number of posts that contain one of the keywords, for each unit of time. Related keywords do not count. */
  @ApiProperty({ type: 'integer', isArray: true, minimum: 0, example: [12, 7, 31] })
  post_volume: number[];
}

export const presentKeywordInsights = (related: string[], volumes: number[]): KeywordInsightsView => ({
  related_keywords: related,
  post_volume: volumes,
});
