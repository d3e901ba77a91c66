import { Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../auth/caller.js';
import { CallerController, CurrentCaller } from '../../auth/guards/ads-controller.js';
import { addToEcho, ParsedParams } from '../../common/http/params/params.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { originOf } from '../../common/http/urls/public-urls.js';
import { Returns } from '../../common/http/answers/returns.js';
import { SearchKeywords } from './keyword-insights.dto.js';
import { KeywordInsightsView, presentKeywordInsights } from './keyword-insights.presenter.js';
import { KeywordInsightsService } from './keyword-insights.service.js';

@CallerController('insights/keywords', { tag: 'Insights', quota: 'KEYWORD_INSIGHTS' })
export class KeywordInsightsController {
  constructor(private readonly insights: KeywordInsightsService) {}

  /**
   * Returns the volume of posts about keywords and the related keywords. The response echoes `end_time` even if the
   * request omits it.
   */
  @Get('search')
  @Returns(KeywordInsightsView)
  async searchKeywords(
    @Req() request: FastifyRequest,
    @CurrentCaller() caller: Caller,
    @ParsedParams(SearchKeywords) query: Parsed<SearchKeywords>,
  ) {
    const found = await this.insights.search(originOf(request.raw).environment, caller.userId, query, request);
    addToEcho(request.query, { end_time: found.endTime });
    return presentKeywordInsights(found.related, found.volumes);
  }
}
