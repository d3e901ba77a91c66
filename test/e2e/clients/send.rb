# Sends requests as the Ads SDK for Ruby and as twurl do: with the oauth gem. A line of JSON is a request.

require 'json'
require 'oauth'
require 'oauth/request_proxy/net_http'
require 'uri'

keys = JSON.parse($stdin.gets)
while (line = $stdin.gets)
  asked = JSON.parse(line)
  url = URI.parse(asked['url'])
  query = asked['params'] || {}
  path = query.empty? ? url.path : "#{url.path}?#{URI.encode_www_form(query)}"
  request = Net::HTTP.const_get(asked['method'].capitalize).new(path)
  (asked['headers'] || {}).each { |name, value| request[name] = value }
  request['user-agent'] = 'twitter-ads version: 11.0.0'
  request.body = asked['body'] if asked['body']
  # twurl sends a form with every request, also an empty one
  request.set_form_data(asked['form']) if asked['form']
  if asked['file']
    boundary = '00Twurl123'
    request.content_type = "multipart/form-data, boundary=\"#{boundary}\""
    request.body = [
      "--#{boundary}\r\nContent-Disposition: form-data; name=\"media\"; filename=\"a.png\"\r\n",
      "Content-Type: application/octet-stream\r\n\r\n", asked['file'].unpack1('m'), "\r\n--#{boundary}--\r\n"
    ].join
  end

  # named here, because Ruby would look up the address of the host before it uses a proxy of the environment
  options = { site: "#{url.scheme}://#{url.host}", proxy: ENV.fetch('tunnel') }
  consumer = OAuth::Consumer.new(keys['consumer_key'], keys['consumer_secret'], options)
  token = OAuth::AccessToken.new(consumer, keys['access_token'], keys['access_token_secret'])
  request.oauth!(consumer.http, consumer, token)
  answer = consumer.http.request(request)
  $stdout.puts JSON.generate(status: answer.code.to_i, text: answer.body)
  $stdout.flush
end
