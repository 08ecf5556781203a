# cmake -DOUTPUT=embedded.cc -DFOLDER=... -P embed.cmake: the page's files as C++ string literals.
set(text "#include \"reports/html/embedded.h\"\n\nnamespace assay::reports::html {\n\n")
foreach(pair "kPageTemplate=page.mustache" "kBriefTemplate=brief.mustache" "kFindingTemplate=finding.mustache"
    "kExchangeTemplate=exchange.mustache" "kEventTemplate=event.mustache"
    "kCompareTemplate=compare.mustache" "kOverviewTemplate=overview.mustache" "kRuleTemplate=rule.mustache"
    "kRulesTemplate=rules.mustache" "kStyle=page.css" "kPageScript=page.js"
    "kOverviewScript=overview.js" "kInteropTemplate=interop.mustache" "kInteropScript=interop.js")
  string(REPLACE "=" ";" parts "${pair}")
  list(GET parts 0 name)
  list(GET parts 1 file)
  file(READ "${FOLDER}/${file}" content)
  string(APPEND text "const std::string_view ${name} = R\"assay_embed(${content})assay_embed\";\n\n")
endforeach()
string(APPEND text "}  // namespace assay::reports::html\n")
file(WRITE "${OUTPUT}" "${text}")
