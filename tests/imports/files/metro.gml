graph [
  name "metro"
  node [ id 0 label "Linz" Country "Austria" ]
  node [ id 1 label "Graz" ]
  node [ id 2 label "Salzburg" ]
  node [ id 3 label "Klagenfurt" ]
  edge [ source 0 target 2 length_km 110 ]
  edge [ source 2 target 3 length_km 140.5 ]
  edge [ source 3 target 1 length_km 100 ]
  edge [ source 1 target 0 length_km 160 ]
  edge [ source 1 target 2 length_km 200 ]
]
